/**
 * The part, or nothing where it holds only empty members: what is empty is not
 * there, in a view and in its hash.
 */
export function some<T extends object>(part: T | undefined): T | undefined {
  return part && Object.values(part).some(holds) ? part : undefined;
}

function holds(member: unknown): boolean {
  return member instanceof Map ? member.size > 0 : Boolean(member);
}
