// .svelte-kit/generated/build/env/config.js
var variables = {};
var dynamic_private_env = {};
var explicit_public_env = {};
var rendered_env = {};
function set_env(env) {}
export { dynamic_private_env, explicit_public_env, rendered_env, set_env, variables };

//# sourceMappingURL=env.js.map