"""Photos of several lists as one collection, with the labels, the part of the split and the pixels of each."""
