import Foundation
import Testing

@testable import Connections

/// Sidecars of other programs. Their contents stay, byte for byte.
@Suite struct XMPPacketTests {
    private static let siamese = PhotoTag(path: ["Animals", "Cats", "Siamese"], confidence: 0.9)
    private static let tags = SidecarTags(
        tags: [siamese],
        regions: [XMPRegion(name: "Misu & Co", x: 0.5, y: 0.25, width: 0.5, height: 0.3)], width: 4032, height: 3024)

    /// Sidecars as digiKam, darktable and Lightroom write them, with different prefixes, quotes and layouts.
    private static let sidecars = [
        """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2">
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
          <rdf:Description rdf:about=""
            xmlns:digiKam="http://www.digikam.org/ns/1.0/"
            xmlns:dc="http://purl.org/dc/elements/1.1/"
            xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/"
            xmlns:stArea="http://ns.adobe.com/xmp/sType/Area#"
           digiKam:PickLabel="0">
           <digiKam:TagsList>
            <rdf:Seq>
             <rdf:li>Places/Oulu</rdf:li>
            </rdf:Seq>
           </digiKam:TagsList>
           <dc:subject>
            <rdf:Bag>
             <rdf:li>Oulu</rdf:li>
             <rdf:li>Siamese</rdf:li>
            </rdf:Bag>
           </dc:subject>
           <mwg-rs:Regions rdf:parseType="Resource">
            <mwg-rs:RegionList>
             <rdf:Bag>
              <rdf:li>
               <rdf:Description mwg-rs:Name="Anna" mwg-rs:Type="Face">
                <mwg-rs:Area stArea:x="0.9" stArea:y="0.9" stArea:w="0.1" stArea:h="0.1" stArea:unit="normalized"/>
               </rdf:Description>
              </rdf:li>
             </rdf:Bag>
            </mwg-rs:RegionList>
           </mwg-rs:Regions>
          </rdf:Description>
         </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end="w"?>
        """,
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
            + "<r:Description r:about='uuid:1' xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='3'/></r:RDF></x:xmpmeta>",
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"></rdf:RDF>",
        """
        <!-- mine > yours -->\r
        <x:xmpmeta xmlns:x="adobe:ns:meta/">\r
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\r
        <rdf:Description rdf:about="" xmlns:my="urn:my:things/" my:note="a &lt; b &#x20AC;"><my:data><![CDATA[<dc:subject>]]></my:data></rdf:Description >\r
        </rdf:RDF>\r
        </x:xmpmeta>\r

        """,
    ]

    @Test(arguments: sidecars) func addingAndTakingBackLeavesEveryByte(_ text: String) throws {
        let bytes = Array(text.utf8)
        var packet = try XMPPacket(bytes)
        #expect(packet.bytes == bytes)
        try packet.add(Self.tags)
        let tagged = packet.bytes
        #expect(tagged != bytes)
        // Everything is still there, in the same order.
        var rest = tagged[...]
        for byte in bytes where byte > 0x20 && byte != UInt8(ascii: "/") {
            guard let place = rest.firstIndex(of: byte) else {
                Issue.record("lost at \(rest.count)")
                return
            }
            rest = rest[(place + 1)...]
        }
        // A second run adds nothing.
        var again = try XMPPacket(tagged)
        try again.add(Self.tags)
        #expect(String(decoding: again.bytes, as: UTF8.self) == String(decoding: tagged, as: UTF8.self))
        let isGone = again.undo()
        #expect(!isGone)
        #expect(String(decoding: again.bytes, as: UTF8.self) == text)
    }

    @Test func wordsThatAreThereAreNotWrittenTwice() throws {
        var packet = try XMPPacket(Array(Self.sidecars[0].utf8))
        try packet.add(Self.tags)
        let text = String(decoding: packet.bytes, as: UTF8.self)
        #expect(text.ranges(of: "<rdf:li>Siamese</rdf:li>").count == 1)
        #expect(text.contains("<rdf:li>Animals/Cats/Siamese</rdf:li>"))
        #expect(text.contains("<rdf:li>Animals|Cats|Siamese</rdf:li>"))
        #expect(text.contains("<mwg-rs:Name>Misu &amp; Co</mwg-rs:Name>") && text.contains("\"Anna\""))
        // The user had this keyword before, so it stays.
        _ = packet.undo()
        #expect(String(decoding: packet.bytes, as: UTF8.self).contains("<rdf:li>Siamese</rdf:li>"))
    }

    @Test func whatAPersonRemovedStaysOut() throws {
        var packet = try XMPPacket(Array(Self.sidecars[1].utf8))
        try packet.add(Self.tags)
        let edited = String(decoding: packet.bytes, as: UTF8.self)
            .replacing("<r:li>Animals/Cats/Siamese</r:li>", with: "")
        var corrected = try XMPPacket(Array(edited.utf8))
        try corrected.add(Self.tags)
        let text = String(decoding: corrected.bytes, as: UTF8.self)
        #expect(!text.contains("<r:li>Animals/Cats/Siamese</r:li>"), "\(text)")
        #expect(text.contains("<r:li>Animals|Cats|Siamese</r:li>"))
        _ = corrected.undo()
        #expect(!String(decoding: corrected.bytes, as: UTF8.self).contains("menagerie"))
    }

    @Test func anotherAnswerTakesThePlaceOfTheFirst() throws {
        var packet = XMPPacket()
        try packet.add(Self.tags)
        let thai = PhotoTag(path: ["Animals", "Cats", "Thai"], confidence: 0.9)
        try packet.add(SidecarTags(tags: [thai]))
        let text = String(decoding: packet.bytes, as: UTF8.self)
        #expect(text.contains("Animals/Cats/Thai") && !text.contains("<rdf:li>Animals/Cats/Siamese"))
        #expect(!text.contains("Misu"))
        // The file was made for the keywords and is deleted with them.
        let isGone = packet.undo()
        #expect(isGone)
    }

    @Test func aPlaceThatHasANameKeepsIt() throws {
        let named = Self.sidecars[0].replacing("\"0.9\"", with: "\"0.5\"").replacing("\"0.1\"", with: "\"0.4\"")
        var packet = try XMPPacket(Array(named.utf8))
        try packet.add(
            SidecarTags(
                tags: [], regions: [XMPRegion(name: "Misu", x: 0.5, y: 0.5, width: 0.38, height: 0.4)], width: 10,
                height: 10))
        #expect(String(decoding: packet.bytes, as: UTF8.self) == named)
    }

    @Test(arguments: [
        ("", "not XML"), ("photo", "not XML"), ("<a>", "not XML"), ("<a></b>", "not XML"), ("<a b='<'/>", "not XML"),
        ("<a/>", "rdf:RDF"), ("</a>", "not XML"), ("<a><!-- ", "not XML"),
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "document type"),
        (String(repeating: "<a>", count: 100_000), "in one another"),
        ("<x:RDF xmlns:x='urn:else'/>", "rdf:RDF"),
    ])
    func whatIsNoSidecarIsTold(_ text: String, _ reason: String) {
        let error = #expect(throws: SidecarError.self) { try XMPPacket(Array(text.utf8)) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test func otherEncodingsAreTold() {
        #expect(throws: SidecarError.notUTF8) { try XMPPacket([0xFF, 0xFE, 0x3C, 0]) }
        #expect(throws: SidecarError.notUTF8) { try XMPPacket(Array("<a b='".utf8) + [0xE4] + Array("'/>".utf8)) }
    }

    @Test(arguments: [
        "><dc:subject>cat</dc:subject></rdf:Description>", " dc:subject=\"cat\"/>",
        // A combining mark follows the quote.
        " dc:subject = '\u{301}cat=\"'/>",
        " xmlns:d=\"http://purl.org/dc/elements/1.1/\" d:subject=\"cat\"></rdf:Description>",
    ])
    func aListThatIsNoneIsLeftAlone(rest: String) throws {
        let text =
            "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><rdf:Description rdf:about=\"\" "
            + "xmlns:dc=\"http://purl.org/dc/elements/1.1/\"\(rest)</rdf:RDF>"
        var packet = try XMPPacket(Array(text.utf8))
        #expect(throws: SidecarError.unexpected("dc:subject")) { try packet.add(Self.tags) }
        #expect(String(decoding: packet.bytes, as: UTF8.self) == text)
    }
}
