/** The day the list is grouped by; a page that stays open over midnight updates it. */
class Today {
  date: Date = $state.raw(new Date());

  start(): void {
    const check = () => {
      const now = new Date();
      if (now.toDateString() !== this.date.toDateString()) this.date = now;
    };
    setInterval(check, 60_000);
    document.addEventListener('visibilitychange', check);
  }
}

export const today = new Today();
