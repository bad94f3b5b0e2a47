"""Photos of several lists as one collection: what each shows, which side of the split it is on, its pixels."""
