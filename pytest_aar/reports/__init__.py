"""Reports: text for people and properties for machines, made of results; nothing here runs a race."""
