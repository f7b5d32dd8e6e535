export type ExportStatus = "CREATED" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED" | "TIMEDOUT";
