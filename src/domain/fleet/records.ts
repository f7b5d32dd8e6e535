/** A listener: a process at the customer's site that runs deployments. */
export interface ListenerRecord {
  readonly id: string;
  readonly computeId: string;
  readonly k8sNamespaces: readonly string[] | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}
