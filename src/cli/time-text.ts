/** The time of day on this machine, such as `14:03:59`. */
export function timeOfDay(at: Date): string {
  return at.toTimeString().slice(0, 8);
}

export function durationText(milliseconds: number): string {
  return `${Math.round(milliseconds)} ms`;
}
