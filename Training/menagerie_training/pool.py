"""A pool of augmented crops with the output of the network's frozen part.

The frozen part is computed once for a crop, which is then trained on several times in new mixtures. New sets of crops
are made during the training and replace the oldest ones.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from . import augment, batches, network

#: The number of crops in a set. A set of activations 10×10×64 takes 126 MB.
SET = 8192
#: The number of sets in the pool, and the number that training needs to begin.
KEPT, FIRST = 12, 4
#: How many times a crop is trained on, on average, before the next set is made.
REUSE = 4


class Pool:
    """The sets are numbered k = 0, 1, … and depend only on the seed and k. Their files are in `folder`."""

    def __init__(self, pack, positions, frozen, size, seed, folder, device):
        self.pack, self.positions, self.frozen, self.size, self.seed = pack, positions, frozen, size, seed
        self.folder, self.device = folder, device
        self.weights = batches.weights(pack, positions)
        self.sets = {}
        if device == "cuda":
            self.photos = torch.as_tensor(np.asarray(pack.photos), device=device)

    def wanted(self, step, batch):
        """Numbers of the sets that belong in the pool at a step."""
        newest = FIRST + step * batch // (SET * REUSE)
        return range(max(0, newest - KEPT), newest)

    def fill(self, step, batch):
        """Makes missing sets and removes old ones. Returns how many it made."""
        made = 0
        wanted = self.wanted(step, batch)
        for number in [n for n in self.sets if n not in wanted]:
            del self.sets[number]
            self.file(number).unlink()
        for number in reversed(wanted):
            missing = number not in self.sets and not self.file(number).exists()
            # After a change of the crops' size all sets are missing. Then only the newest few are made.
            if missing and (number == wanted[-1] or len(self.sets) < FIRST):
                self.make(number)
                made += 1
            if self.file(number).exists() and number not in self.sets:
                self.sets[number] = np.load(self.file(number), mmap_mode="r")
        return made

    def file(self, number):
        """The file of a set."""
        return self.folder / f"crops_{self.size}_{number}.npy"

    def make(self, number):
        """Draws, crops and recolours the photos of one set, and runs the frozen part on them."""
        random = np.random.default_rng((self.seed, number))
        chosen = random.choice(self.positions, SET, p=self.weights)
        boxes = augment.draw_boxes(random, self.pack.aspect[chosen])
        array = None
        with ThreadPoolExecutor(torch.get_num_threads()) as threads:
            step = self.frozen.batch
            for start in range(0, SET, step):
                part = slice(start, start + step)
                x = augment.recolour(self.crops(chosen[part], boxes[part], threads), random)
                middle, features = self.frozen(x)
                if array is None:
                    kind = [("position", np.int32), ("middle", np.float16, middle.shape[1:])]
                    array = np.empty(SET, [*kind, ("features", np.float16, features.shape[1:])])
                array["position"][part], array["middle"][part], array["features"][part] = chosen[part], middle, features
        temporary = self.file(number).with_suffix(".partial.npy")
        np.save(temporary, array)
        temporary.rename(self.file(number))

    def crops(self, chosen, boxes, threads):
        """N×3×S×S, 0…255."""
        if self.device == "cuda":
            return augment.crop_gpu(self.photos[torch.as_tensor(chosen, device=self.device)], boxes, self.size)
        halves = np.array_split(np.arange(len(chosen)), torch.get_num_threads())
        cut = lambda half: augment.crop_cpu(self.pack.photos[chosen[half]], boxes[half], self.size)  # noqa: E731
        return torch.as_tensor(np.concatenate(list(threads.map(cut, halves)))).permute(0, 3, 1, 2).contiguous()

    def draw(self, random, batch):
        """One batch: activations N×C×H×W in channels-last order, features at the start N×2560, positions N."""
        numbers = np.array(sorted(self.sets))[random.integers(len(self.sets), size=batch)]
        rows = [self.sets[number][index] for number, index in zip(numbers, random.integers(SET, size=batch))]
        middle = torch.as_tensor(np.stack([row["middle"] for row in rows])).to(self.device, network.precision(self.device))
        features = torch.as_tensor(np.stack([row["features"] for row in rows])).to(self.device, torch.float32)
        return middle.permute(0, 3, 1, 2), features, np.array([row["position"] for row in rows])
