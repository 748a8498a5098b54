"""What runs in the child beside the program under review."""
