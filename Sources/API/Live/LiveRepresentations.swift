import Base
import Encyclopaedia
import HTTP
import Imaging
import Recognition
package import Storage
package import Streams

package struct LiveAnswer: Encodable {
    package struct Stable: Encodable {
        let label: String
        let name: String
        let head: String
        let confidence: Double
        let percent: String
        let sinceMs: Double
        let url: String?

        package init(_ stable: StableLabel, names: LabelNames) {
            let prediction = names.prediction(stable.label, stable.confidence, head: stable.head)
            (label, name, head) = (stable.label, prediction.name, stable.head)
            (confidence, percent, url) = (prediction.confidence, prediction.percent, prediction.url)
            sinceMs = stable.sinceMilliseconds
        }
    }

    struct Timing: Encodable {
        let decodeMs: Double
        let queueMs: Double
        let inferenceMs: Double
        /// The time from the frame's last byte to this answer, including waiting.
        let latencyMs: Double
    }

    let type = "answer"
    let frame: Int
    let atMs: Double
    let width, height: Int
    let species: String
    let head: String
    let message: String
    let predictions: [PredictionRepresentation]
    let heads: [String: [PredictionRepresentation]]?
    let abstained: Bool
    /// The named individual that the animal is held to be; absent if no animal has a name.
    let individual: IndividualRepresentation?
    /// The answers of added trained heads, by the name of the trained model; absent if there are none.
    let added: [String: AddedHeadRepresentation]?
    /// The stable label; null if there is none.
    let stable: Nullable<Stable>
    let boxes: [LiveBox]
    let labels: [LiveLabel]
    /// The place of the thing that somebody pointed at; absent if there is none, null while it is out of sight.
    let pointed: Nullable<PictureRegion>?
    let dropped: Int
    let model: ScanModel
    let timing: Timing

    /// - Parameter learnt: gives the answers of trained heads and individuals.
    init(
        _ answer: FrameAnswer, of frame: LiveFrame, dropped: Int, settings: LiveSettings, names: LabelNames,
        learnt: (Classification) -> LearntAnswers?
    ) {
        let classification = answer.classification
        self.frame = frame.number
        atMs = frame.atMilliseconds
        (width, height) = (classification.image.width, classification.image.height)
        (species, head) = (classification.species, classification.head)
        message = classification.message(in: settings.language)
        predictions = classification.predictions(settings.top).map {
            names.prediction($0, head: classification.head)
        }
        let shown = settings.heads.map { $0.isEmpty ? classification.heads.map(\.name) : $0 }
        heads = shown.map { shown in
            Dictionary(
                shown.map { head in
                    let answers = classification.answer(of: head)?.listed(settings.top) ?? []
                    return (head, answers.map { names.prediction($0, head: head) })
                }
            ) { first, _ in first }
        }
        abstained = classification.abstained
        let known = learnt(classification)
        individual = known?.individual.map { IndividualRepresentation($0, language: settings.language) }
        added = known?.added(named: names)
        stable = Nullable(answer.stable.map { Stable($0, names: names) })
        boxes = answer.boxes.map { box in
            let individual = box.name.breeds == nil ? nil : box.classification.flatMap(learnt)?.individual
            return LiveBox(box, individual: individual, names: names)
        }
        labels = answer.taps.map { LiveLabel($0, names: names) }
        pointed = answer.pointed.map { Nullable($0.place?.box.rounded4) }
        self.dropped = dropped
        model = ScanModel(name: classification.modelName, version: classification.modelVersion)
        let taken = answer.timing.rounded
        timing = Timing(
            decodeMs: taken.decode, queueMs: taken.queue, inferenceMs: taken.inference,
            latencyMs: ((ContinuousClock.now - frame.arrival) / .milliseconds(1)).rounded2)
    }
}

/// A tracked animal or object in a frame.
package struct LiveBox: Encodable {
    /// A number that stays with the animal or object.
    let track: Int
    let x, y, width, height: Double
    let label: String
    let name: String
    let confidence: Double
    let percent: String
    /// The stream's milliseconds at its first sighting.
    let firstMs: Double
    /// The breed of a cat or a dog, from all pictures of the track; absent for other labels, and if no breed is sure.
    let breed: PredictionRepresentation?
    /// The breeds of a cat or a dog, likeliest first.
    let predictions: [PredictionRepresentation]?
    /// The species of any other animal; absent if no species is sure.
    let species: PredictionRepresentation?
    /// The likeliest names for it, likeliest first.
    let words: [PredictionRepresentation]
    /// The named individual that the cat or dog is, from the pictures of its track.
    let individual: IndividualRepresentation?

    package init(_ box: TrackedBox, individual: LearntAnswers.Individual?, names: LabelNames) {
        track = box.object.track
        (x, y) = (box.region.x.rounded4, box.region.y.rounded4)
        (width, height) = (box.region.width.rounded4, box.region.height.rounded4)
        label = box.name.label
        name = names.name(label, from: .box)
        confidence = Double(box.name.confidence).rounded4
        percent = box.name.confidence.percent
        firstMs = box.object.firstMilliseconds
        predictions = box.name.breeds.map { breeds in
            breeds.listed(Box.breedCount).map { names.prediction($0, head: breeds.name) }
        }
        breed = box.name.isSureOfBreed ? predictions?.first : nil
        species = box.name.species.map { names.species($0.prediction, head: $0.head) }
        words = box.name.words.filter(\.isAboveZero).map { names.word($0) }
        self.individual = individual.map { IndividualRepresentation($0, language: names.language) }
    }
}

/// The thing under a tap.
struct LiveLabel: Encodable {
    let type = "label"
    let id: String
    let x, y: Double
    /// The label; null while it is unknown and if nothing is there. The next four members behave alike.
    let label: Nullable<String>
    let confidence: Nullable<Double>
    let percent: Nullable<String>
    let url: Nullable<String>
    let track: Nullable<Int>
    /// The name; null while it is unknown. If nothing is there, it says so. The next member behaves alike.
    let name: Nullable<String>
    let names: Nullable<NameTranslations>
    /// Whether the place was examined and nothing with a name is there.
    let nothing: Bool
    let inSight: Bool

    private static let nothingHere = NameTranslations(
        en: "Nothing here that I know", fi: "Tässä ei ole mitään, minkä tunnen")

    init(_ tap: TapLabel, names: LabelNames) {
        id = tap.id
        (x, y) = (tap.x.rounded4, tap.y.rounded4)
        let kind = tap.name?.kind
        let prediction = kind?.prediction ?? tap.name.map { Prediction(label: $0.label, confidence: $0.confidence) }
        let origin = kind.map { LabelOrigin.head($0.head) } ?? .box
        label = Nullable(prediction?.label)
        let translations =
            prediction.map { names.translations($0.label, from: origin) } ?? (tap.isNothing ? Self.nothingHere : nil)
        self.names = Nullable(translations)
        name = Nullable(translations.map { names.language == .english ? $0.en : $0.fi })
        confidence = Nullable(prediction.map { Double($0.confidence).rounded4 })
        percent = Nullable(prediction.map { $0.confidence.percent })
        url = Nullable(kind.flatMap { names.prediction($0.prediction, head: $0.head).url })
        track = Nullable(tap.track)
        nothing = tap.isNothing
        inSight = tap.isInSight
    }
}

/// A message that a thing is timed by its appearance from now on.
struct LivePointed: Encodable {
    let type = "pointed"
    /// The lap timer's id.
    let id: String
    /// The label; null if nothing is pointed at any more. The next two members behave alike.
    let label: Nullable<String>
    let name: Nullable<String>
    let box: Nullable<PictureRegion>

    init(_ thing: ThingAppearance?, in laps: String, names: LabelNames) {
        id = laps
        label = Nullable(thing?.label)
        name = Nullable(thing.map { names.lapName($0.label) })
        box = Nullable(thing?.box.rounded4)
    }
}

/// A message that a frame was saved.
struct LiveKept: Encodable {
    let type = "kept"
    let id: String
    let url: String
    let frame: Int
}

/// A problem as a message of a stream. It has the members of problem+json, except that `type` is the kind of message,
/// as in all messages, and `problem` is the problem's type.
extension ProblemDetails {
    var message: [UInt8] {
        var members = extensions
        members["type"] = "problem"
        members["problem"] = .string(type)
        members["title"] = .string(title)
        members["status"] = .integer(status.code)
        if let detail { members["detail"] = .string(detail) }
        return JSONValue.object(members).bytes
    }
}
