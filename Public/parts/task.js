// What a model is for.

import { hasText, text } from "../languages/language.js";

/** A task that came after this page is called as the service calls it. */
export const taskWords = ({ task }) => (hasText(`task.${task}`) ? text(`task.${task}`) : task);
