"""Documents that hold Python in pieces, notebooks and Markdown pages, read as one program and written back."""
