

export const index = 1;
export const imports = ["_app/immutable/nodes/1.Bbh3jJVE.js","_app/immutable/chunks/CygfACu0.js","_app/immutable/chunks/DKsqVP0b.js","_app/immutable/entry/payload.DSmR2FwN.js"];
export const stylesheets = [];
export const fonts = [];
