/** Tells whether this machine has a process with this number. */
export function pidExists(pid: number): boolean {
  // Zero and negative numbers would mean groups of processes.
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
