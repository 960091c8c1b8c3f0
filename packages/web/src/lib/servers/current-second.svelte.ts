import { createSubscriber } from 'svelte/reactivity';

const tick = createSubscriber((update) => {
  const timer = setInterval(update, 1000);
  return () => clearInterval(timer);
});

/** The time, for what counts seconds: whoever reads it in a template is drawn again every second. */
export function currentSecond(): number {
  tick();
  return Date.now();
}
