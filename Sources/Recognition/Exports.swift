// Who recognises speaks of models, heads, boxes and refusals as well: they come along.
@_exported public import Heads
@_exported public import Inference
@_exported public import Models
