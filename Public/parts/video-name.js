// The file names of videos. The service does not store them, so the browser remembers the names of the videos it sent.

import { text } from "../languages/language.js";
import { recall, remember } from "../services/store.js";

export const nameVideo = (id, name) => remember(`video.${id}`, name);

export const forgetVideo = (id) => remember(`video.${id}`, null);

export const videoName = ({ id }) => recall(`video.${id}`) ?? text("video");
