"""Files: which are linted, where their imports start, and the comments that silence findings in them."""
