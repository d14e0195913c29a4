module handlersocket2.org/client/v2

go 1.19
