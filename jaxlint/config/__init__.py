"""Settings: where they are found, what they may be, and which rules they select."""
