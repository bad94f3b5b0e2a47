// Large photos become smaller before they go over a slow connection: the service looks at far fewer pixels.

const longest = 2048;
const worthIt = 1_500_000;

const isSlow = ({ saveData, effectiveType, downlink } = {}) => Boolean(saveData) || (effectiveType && effectiveType !== "4g") || downlink < 2;

/** `{ file, original }`: the photo, or a smaller one with the size that it had, "4000x3000"; what this browser cannot read goes as it is. */
export async function shrunk(file) {
  if (file.size < worthIt || !isSlow(navigator.connection)) return { file };
  try {
    const picture = await createImageBitmap(file);
    const scale = longest / Math.max(picture.width, picture.height);
    if (scale >= 1) return { file };
    const original = `${picture.width}x${picture.height}`;
    const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    const smaller = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.88 });
    return { file: new File([smaller], file.name, { type: "image/jpeg" }), original };
  } catch {
    return { file };
  }
}
