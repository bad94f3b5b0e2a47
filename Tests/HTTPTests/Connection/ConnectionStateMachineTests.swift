import Testing

@testable import HTTP

@Suite struct ConnectionStateMachineTests {
    private func serving(
        _ framing: BodyFraming = .none, keepsAlive: Bool = true, expectsContinue: Bool = false
    ) -> ConnectionStateMachine {
        var machine = ConnectionStateMachine()
        machine.receivedHead(framing: framing, keepsAlive: keepsAlive, expectsContinue: expectsContinue)
        return machine
    }

    @Test func timersFollowTheRequest() {
        var machine = ConnectionStateMachine()
        #expect(machine.timer == .idle)
        machine.receivedPartOfHead()
        #expect(machine.timer == .header)
        machine.receivedHead(framing: .length(5), keepsAlive: true, expectsContinue: false)
        #expect(machine.timer == .body)
        machine.pauseBody()
        #expect(machine.timer == nil)
        #expect(!machine.wantsInput)
        #expect(machine.resumeBody() == false)
        #expect(machine.wantsInput)
        #expect(machine.receivedBody(5) == .deliver)
        #expect(machine.requestEnded() == nil)
        #expect(machine.timer == nil)
        #expect(!machine.wantsInput)
        #expect(machine.startResponse(wantsClose: false, isWhole: true) == true)
        #expect(machine.responseEnded() == .nextRequest)
        #expect(machine.timer == .idle)
    }

    @Test func aNextRequestWaitsForTheAnswer() {
        var machine = serving()
        #expect(!machine.wantsInput)
        #expect(machine.startResponse(wantsClose: false, isWhole: true) == true)
        #expect(machine.responseEnded() == .nextRequest)
        #expect(machine.wantsInput)
    }

    @Test func closesWhenAnyoneAsksForIt() {
        var client = serving(keepsAlive: false)
        #expect(client.startResponse(wantsClose: false, isWhole: true) == false)
        #expect(client.responseEnded() == .close)
        var handler = serving()
        #expect(handler.startResponse(wantsClose: true, isWhole: true) == false)
        #expect(handler.responseEnded() == .close)
        var server = serving()
        #expect(server.drain() == false)
        #expect(server.startResponse(wantsClose: false, isWhole: true) == false)
        #expect(server.responseEnded() == .close)
    }

    @Test func aClosingConnectionLingersUntilTheClientIsDone() {
        var machine = serving(keepsAlive: false)
        _ = machine.startResponse(wantsClose: false, isWhole: true)
        #expect(machine.responseEnded() == .close)
        #expect(machine.isClosing)
        #expect(machine.flushedWhileClosing() == true)
        #expect(machine.timer == .linger)
        #expect(machine.wantsInput)
        #expect(machine.peerShut() == .close)
    }

    @Test func continueIsSentOnceAndOnlyBeforeAnAnswer() {
        var machine = serving(.length(5), expectsContinue: true)
        #expect(machine.timer == nil)
        #expect(machine.resumeBody() == true)
        #expect(machine.resumeBody() == false)
        var answered = serving(.length(5), expectsContinue: true)
        #expect(answered.startResponse(wantsClose: false, isWhole: true) == false)
        #expect(answered.resumeBody() == false)
        #expect(answered.responseEnded() == .close)
    }

    @Test func aSmallRestOfABodyIsDiscarded() {
        var machine = serving(.length(100))
        #expect(machine.startResponse(wantsClose: false, isWhole: true) == true)
        #expect(machine.responseEnded() == .discardRest)
        #expect(machine.wantsInput)
        #expect(machine.receivedBody(100) == .discard)
        #expect(machine.requestEnded() == .nextRequest)
    }

    @Test func aLargeRestClosesTheConnection() {
        var machine = serving(.length(ConnectionStateMachine.discardLimit + 1))
        #expect(machine.startResponse(wantsClose: false, isWhole: true) == false)
        #expect(machine.responseEnded() == .close)
        var unknown = serving(.chunked)
        #expect(unknown.startResponse(wantsClose: false, isWhole: true) == false)
        #expect(unknown.responseEnded() == .close)
        var chunked = serving(.chunked)
        #expect(chunked.startResponse(wantsClose: false, isWhole: false) == true)
        #expect(chunked.responseEnded() == .discardRest)
        #expect(chunked.receivedBody(ConnectionStateMachine.discardLimit) == .discard)
        #expect(chunked.receivedBody(1) == .close)
    }

    @Test func theEndOfTheClientsSide() {
        var idle = ConnectionStateMachine()
        #expect(idle.peerShut() == .close)
        var reading = serving(.length(5))
        #expect(reading.peerShut() == .failBody)
        var waiting = serving()
        #expect(waiting.peerShut() == .none)
        #expect(waiting.startResponse(wantsClose: false, isWhole: true) == true)
        #expect(waiting.responseEnded() == .nextRequest)
    }

    @Test func timeouts() {
        var idle = ConnectionStateMachine()
        #expect(idle.timedOut(.idle) == .close)
        #expect(idle.timedOut(.body) == .none)
        var head = ConnectionStateMachine()
        head.receivedPartOfHead()
        #expect(head.timedOut(.header) == .answer)
        var body = serving(.chunked)
        #expect(body.timedOut(.body) == .failBody)
        #expect(body.requestFailed() == true)
        #expect(!body.wantsInput)
        #expect(body.startResponse(wantsClose: false, isWhole: true) == false)
        #expect(body.responseEnded() == .close)
    }

    @Test func drainingClosesOnlyWhatIsIdle() {
        var idle = ConnectionStateMachine()
        #expect(idle.drain() == true)
        var head = ConnectionStateMachine()
        head.receivedPartOfHead()
        #expect(head.drain() == false)
    }
}
