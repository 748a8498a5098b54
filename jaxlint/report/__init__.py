"""Reports: how findings are shown."""
