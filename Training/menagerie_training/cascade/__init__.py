"""The weights that are served from version 6 on: version 5 answers if it is sure, otherwise ViT-Tiny helps."""
