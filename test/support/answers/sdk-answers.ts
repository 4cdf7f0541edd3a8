/** Collects what an iterator of the SDK gives. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Turns the rejection of what does not exist into undefined. For `catch`; other errors are thrown again. */
export function orNone(error: { readonly statusCode?: number }): undefined {
  if (error.statusCode !== 404) throw error;
  return undefined;
}
