// What a video is called: the service keeps no names of files, so the browser that sent it remembers.

import { text } from "../languages/language.js";
import { recall, remember } from "../services/store.js";

export const nameVideo = (id, name) => remember(`video.${id}`, name);

export const forgetVideo = (id) => remember(`video.${id}`, null);

export const videoName = ({ id }) => recall(`video.${id}`) ?? text("video");
