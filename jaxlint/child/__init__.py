"""Running the user's program apart from the linter.

`process` and `places` are the linter's side: they start a child with limits and read what it tells. The other modules
run inside the child, under the Python of the user's project; they are loaded from their files by `boot`, so nothing of
jaxlint needs to be installed there, and they import nothing of jaxlint outside this package and the task's own.
"""
