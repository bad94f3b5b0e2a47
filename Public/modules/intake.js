// The ways a photo comes to the page besides its buttons: dropped or pasted, wherever the person is.

const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");

/** Calls `receive` with the photos dropped or pasted anywhere on the page. */
export function receivePhotos(receive) {
  const hint = document.getElementById("drop-here");
  addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    hint.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    // Without a related target the pointer has left the window, not just one element for the next.
    if (!event.relatedTarget) hint.hidden = true;
  });
  addEventListener("drop", (event) => {
    hint.hidden = true;
    if (!carriesFiles(event)) return;
    event.preventDefault();
    receive([...event.dataTransfer.files]);
  });
  addEventListener("paste", (event) => {
    const photos = [...(event.clipboardData?.files ?? [])].filter((file) => file.type.startsWith("image/"));
    if (photos.length === 0) return;
    event.preventDefault();
    receive(photos);
  });
}
