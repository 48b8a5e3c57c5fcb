"""Building blocks of pictures: the frame around them, hovering, zooming, export."""
