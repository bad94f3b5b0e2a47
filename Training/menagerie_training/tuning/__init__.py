"""The last stages of EdgeTPU tuned on kept activations, taught by labels and by what both backbones say of the same crop."""
