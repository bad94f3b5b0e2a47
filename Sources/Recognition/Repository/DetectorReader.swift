import COpenVINO
import Imaging

/// Recognises a detector by the shapes of its input and its only output.
struct DetectorReader {
    let folder: String
    let file: String
    private let port: NetworkPorts.Port
    private let output: String
    private let layout: Layout

    private struct Layout {
        let decoder: ModelManifest.Detection.Decoder
        let size: [Int]
        let classes: Int
    }

    /// Nil for a network whose boxes cannot be read.
    init?(folder: String, file: String, ports: NetworkPorts) {
        guard ports.inputs.count == 1, ports.outputs.count == 1, let output = ports.outputs[0].name,
            let layout = Self.layout(of: ports.inputs[0], ports.outputs[0])
        else { return nil }
        self.folder = folder
        self.file = file
        self.output = output
        self.layout = layout
        port = ports.inputs[0]
    }

    /// Runs the network on a picture.
    ///
    /// - Throws: ``RecognitionError/engine(_:)`` if that fails.
    func read(_ weights: ModelWeights) throws(RecognitionError) -> (
        input: ModelManifest.Input, detection: ModelManifest.Detection, notes: [String]
    ) {
        let isYOLOX = layout.decoder == .yolox
        var notes = [
            isYOLOX
                ? "the output has the shape of YOLOX's, so its preprocessing is assumed: BGR, levels 0 to 255, grey padding"
                : "the output has the shape of FastestDet's, so its preprocessing is assumed: BGR, levels 0 to 1, stretched"
        ]
        let input = ModelManifest.Input(
            name: port.name, layout: "NCHW", size: layout.size, channels: .bgr, scale: isYOLOX ? "x" : "x/255",
            crop: isYOLOX ? .fit : .fill, padding: isYOLOX ? Padding(level: 114, anchor: .topLeft) : nil)
        _ = try TrialRun(weights, input: input, outputs: [output])
        let found = LabelsFile.beside(file, in: folder, count: layout.classes, or: ["coco_labels.txt"])
        var labels: [String] = []
        if found == nil, layout.classes == COCOLabels.all.count {
            labels = COCOLabels.all
            notes.append(
                "80 classes without names are taken to be those of COCO; otherwise put labels.txt beside the file")
        } else if found == nil {
            notes.append("\(layout.classes) classes without names: put labels.txt beside the file")
        }
        let detection = ModelManifest.Detection(
            decoder: layout.decoder, output: output, strides: layout.decoder.usualStrides,
            labels: found?.labels ?? labels, labelsFile: found?.file, classes: layout.classes,
            confidence: layout.decoder.usualConfidence)
        return (input, detection, notes)
    }

    private static func layout(of input: NetworkPorts.Port, _ output: NetworkPorts.Port) -> Layout? {
        let sides = input.shape.compactMap(\.self)
        guard input.type == UInt32(F32.rawValue), input.shape.count == 4, sides.suffix(3).count == 3 else { return nil }
        let (channels, height, width) = (sides[sides.count - 3], sides[sides.count - 2], sides[sides.count - 1])
        guard channels == 3, input.shape[1] == 3 else { return nil }
        let dimensions = output.shapeOfOne.compactMap(\.self)
        guard dimensions.count == output.shape.count - 1 else { return nil }
        for decoder in ModelManifest.Detection.Decoder.published {
            let expected = BoxDecoder.shape(decoder, strides: decoder.usualStrides, width: width, height: height)
            guard dimensions.count == expected.count,
                let classes = zip(dimensions, expected).first(where: { $0.1 == nil })?.0, classes > 5,
                zip(dimensions, expected).allSatisfy({ $0.1 == nil || $0.1 == $0.0 })
            else { continue }
            return Layout(decoder: decoder, size: [height, width], classes: classes - 5)
        }
        return nil
    }
}

/// The 80 classes of the COCO detection challenge, in their standard order (cocodataset.org).
package enum COCOLabels {
    package static let all = """
        person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,stop sign,\
        parking meter,bench,bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,backpack,umbrella,handbag,\
        tie,suitcase,frisbee,skis,snowboard,sports ball,kite,baseball bat,baseball glove,skateboard,surfboard,\
        tennis racket,bottle,wine glass,cup,fork,knife,spoon,bowl,banana,apple,sandwich,orange,broccoli,carrot,\
        hot dog,pizza,donut,cake,chair,couch,potted plant,bed,dining table,toilet,tv,laptop,mouse,remote,\
        keyboard,cell phone,microwave,oven,toaster,sink,refrigerator,book,clock,vase,scissors,teddy bear,\
        hair drier,toothbrush
        """.split(separator: ",").map(String.init)
}
