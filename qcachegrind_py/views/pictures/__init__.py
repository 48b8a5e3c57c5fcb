"""Pictures of boxes and of arrows: canvases, the frame around them, and their docks."""
