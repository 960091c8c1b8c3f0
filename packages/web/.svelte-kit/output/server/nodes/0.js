

export const index = 0;
export const universal = {
  "ssr": false,
  "prerender": false,
  "load": null
};
export const universal_id = "src/routes/+layout.ts";
export const imports = ["_app/immutable/nodes/0.Bm7KEawG.js","_app/immutable/chunks/BNcm2nXK.js","_app/immutable/chunks/CygfACu0.js","_app/immutable/chunks/DclECHGd.js"];
export const stylesheets = ["_app/immutable/assets/0.BW5D_aw4.css"];
export const fonts = [];
