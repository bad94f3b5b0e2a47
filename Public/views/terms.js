// The terms of use. They must say what the program really does.

import { statement } from "../parts/statement.js";

export const render = async () => statement("terms", 5);
