// The privacy statement. It must say what the program really does.

import { statement } from "../parts/statement.js";

export const render = async () => statement("privacy", 7);
