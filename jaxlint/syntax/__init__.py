"""From LibCST to the compact form that the engine interprets, and back to places in the file."""
