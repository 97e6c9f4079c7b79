/** Each finds what is wrong with one answer. */
export const judgements: Promise<string[]>[] = [];
