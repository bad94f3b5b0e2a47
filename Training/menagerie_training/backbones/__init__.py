"""Public networks that tuning starts from, as PyTorch modules with the weights of their files."""
