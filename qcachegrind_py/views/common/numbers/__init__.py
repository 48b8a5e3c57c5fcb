"""Numbers of views, as *Explain This Number* asks for them."""
