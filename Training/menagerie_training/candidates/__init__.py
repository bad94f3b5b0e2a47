"""Compares networks by frozen features: features of every photo, heads fitted on them, measures by size and kind."""
