#!/bin/bash
# Starts a machine with a black-box SSD, in the layout of FEMU's scripts. The numbers are ours.

image=$HOME/images/system.qcow2

size_mb=400      # of the drive
sector=512
pages=64
dies=2
channels=${CHANNELS:-4}
read_ns=40000    # nanoseconds
program_ns=200000

options="-device femu"
options=${options}",devsz_mb=${size_mb}"
options=${options}",femu_mode=1,namespaces=1"
options=${options}",secsz=${sector},secs_per_pg=16"
options=${options}",pgs_per_blk=${pages},blks_per_pl=128,pls_per_lun=1"
options=${options}",luns_per_ch=$dies,nchs=${channels}"
options=${options}",pg_rd_lat=${read_ns},pg_wr_lat=${program_ns},blk_er_lat=2000000"

if [[ ! -e "$image" ]]; then
    echo "there is no $image"
    exit 1
fi

sudo ./qemu-system-x86_64 \
    -name "a machine" \
    -smp 4 \
    -m 4G \
    -drive file=$image,if=none,format=qcow2,id=hd0 \
    ${options} \
    -net user,hostfwd=tcp::8080-:22 \
    -nographic 2>&1 | tee log
