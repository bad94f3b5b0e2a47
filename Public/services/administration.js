// The calls for administrators: keys, models and cameras. The page loads them with the views that need them.

import { call, json, query, segment, send } from "./api.js";

// Keys

export const keys = (signal) => json("/keys", { signal });

/** The service shows a key only once, in this answer. */
export const makeKey = (name, role) => send("POST", "/keys", { name, role });

export const rotateKey = (name) => json(`/keys/${segment(name)}/rotate`, { method: "POST" });

export const removeKey = (name) => call(`/keys/${segment(name)}`, { method: "DELETE" });

// Models

/** Replaces all notes of a model that was added over HTTP. */
export const annotateModel = (name, version, notes) => send("PATCH", `/models/${segment(name)}?${new URLSearchParams({ version })}`, { notes });

export const removeModel = (name) => call(`/models/${segment(name)}`, { method: "DELETE" });

export const loadModel = (name, version) => json(`/models/${segment(name)}/load?${query({ version })}`, { method: "POST" });

export const unloadModel = (name) => call(`/models/${segment(name)}/unload`, { method: "POST" });

export const setDefaultModel = (name) => send("PUT", "/models/default", { name });

// Cameras that the service watches

export const cameras = (signal) => json("/cameras", { signal });

export const lastSighting = async (id, signal) => {
  const { items: [last], total } = await json(`/cameras/${segment(id)}/sightings?limit=1`, { signal });
  return { last, total };
};

/** Changes a camera, or adds one if `id` is null. */
export const saveCamera = (id, camera) => send(id ? "PATCH" : "POST", id ? `/cameras/${segment(id)}` : "/cameras", camera);

export const removeCamera = (id) => call(`/cameras/${segment(id)}`, { method: "DELETE" });
