// Makes large photos smaller before a slow connection sends them. The service uses far fewer pixels anyway.

const longest = 2048;
const worthIt = 1_500_000;

const isSlow = ({ saveData, effectiveType, downlink } = {}) => Boolean(saveData) || (effectiveType && effectiveType !== "4g") || downlink < 2;

/**
 * Resolves with `{ file, original }`. A smaller `file` comes with the `original` size in pixels, such as "4000x3000".
 * If the photo is small, the connection fast or the format unknown, `file` is the photo and `original` is missing.
 */
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
