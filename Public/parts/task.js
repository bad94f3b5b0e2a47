// The name of a model's task.

import { hasText, text } from "../languages/language.js";

/** Returns the service's own name if the page has no text for the task, because the service may be newer. */
export const taskWords = ({ task }) => (hasText(`task.${task}`) ? text(`task.${task}`) : task);
