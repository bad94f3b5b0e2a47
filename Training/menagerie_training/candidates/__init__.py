"""Networks compared on frozen features: what they see of every photo, heads fitted on it, measures by size and kind."""
