

export const index = 4;
export const imports = ["_app/immutable/nodes/4.3gJWUxOx.js","_app/immutable/chunks/CygfACu0.js","_app/immutable/chunks/BNcm2nXK.js","_app/immutable/chunks/DclECHGd.js"];
export const stylesheets = [];
export const fonts = [];
