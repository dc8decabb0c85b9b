/** Reads a stored choice of the reader. A browser that refuses to store anything has none. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Private windows may refuse.
  }
}
