module example.org/drive

go 1.19
