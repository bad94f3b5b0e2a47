"""The weights that are served from version 6 on: version 5 answers what it is sure of, ViT-Tiny looks at the rest."""
