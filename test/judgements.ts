/** The problems found in each response. */
export const judgements: Promise<string[]>[] = [];
