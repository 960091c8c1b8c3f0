/** Whether the browser prints the page: everything is then rendered at once. Set by chat/list/print-chat.ts. */
class Printing {
  isOn = $state(false);
}

export const printing = new Printing();
