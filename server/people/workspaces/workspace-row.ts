import type { Publishers } from '#contracts/scopes';

export interface WorkspaceRow {
  readonly id: string;
  readonly name: string;
  readonly statisticsTools: boolean;
  readonly publishers: Publishers;
  readonly approvalPasskey: boolean;
  readonly twoFactors: boolean;
  readonly deleteAt: string | null;
  readonly deleteAskedBy: string | null;
}

export const workspaceColumns = `w.id, w.name, w.statistics_tools as "statisticsTools", w.publishers, w.approval_passkey as "approvalPasskey",
  w.two_factors as "twoFactors",  w.delete_at as "deleteAt", w.delete_asked_by as "deleteAskedBy"`;
