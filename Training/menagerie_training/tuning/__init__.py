"""Tunes EdgeTPU's last stages on stored activations. They learn from labels and from both backbones' answers."""
