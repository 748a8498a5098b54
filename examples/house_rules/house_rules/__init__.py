"""Rules that only hold in our house: one module a rule."""
